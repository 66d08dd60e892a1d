import type { Sheet, TextStyle } from './paper';

export interface Column<Row> {
	title: string;
	width: number;
	align: 'left' | 'right' | 'center';
	value: (row: Row, index: number) => string;
}

/** Between a cell's edge and its text. */
const padding = 6;

export function drawTitles<Row>(sheet: Sheet, columns: Array<Column<Row>>, left: number, y: number, style: TextStyle): void {
	drawCells(sheet, columns, columns.map((column) => column.title), left, y, style);
}

export function drawRow<Row>(
	sheet: Sheet,
	columns: Array<Column<Row>>,
	row: Row,
	index: number,
	left: number,
	y: number,
	style: TextStyle,
): void {
	drawCells(sheet, columns, columns.map((column) => column.value(row, index)), left, y, style);
}

/** Where the columns touch, for ruling lines between them. */
export function columnEdges<Row>(columns: Array<Column<Row>>, left: number): number[] {
	let edge = left;
	return [left, ...columns.map((column) => (edge += column.width))];
}

function drawCells<Row>(sheet: Sheet, columns: Array<Column<Row>>, texts: string[], left: number, y: number, style: TextStyle) {
	let edge = left;
	columns.forEach((column, index) => {
		const anchor = { left: padding, center: column.width / 2, right: column.width - padding }[column.align];
		sheet.text(texts[index] ?? '', edge + anchor, y, {
			...style,
			align: column.align,
			maxWidth: column.width - 2 * padding,
		});
		edge += column.width;
	});
}
