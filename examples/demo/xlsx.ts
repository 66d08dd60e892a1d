import { strToU8, zipSync } from 'fflate';

type Cell = string | number | boolean | null | undefined;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** A spreadsheet with one sheet: a header with the names of all columns, and a line for each row. */
export function xlsxOf(sheetName: string, rows: Array<Record<string, Cell>>): Buffer {
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const lines = [columns, ...rows.map((row) => columns.map((column) => row[column]))];
	const files = {
		'[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPES}.worksheet+xml"/></Types>`,
		'_rels/.rels': `${XML}<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		'xl/workbook.xml': `${XML}<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheets><sheet name="${escapeXml(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${RELATIONSHIPS}"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		'xl/worksheets/sheet1.xml': `${XML}<worksheet xmlns="${SHEETS}"><sheetData>${lines.map(rowXml).join('')}</sheetData></worksheet>`,
	};
	const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const);
	return Buffer.from(zipSync(Object.fromEntries(entries)));
}

function rowXml(cells: Cell[], index: number): string {
	const number = index + 1;
	const written = cells.map((cell, column) => cellXml(cell, `${columnName(column)}${number}`));
	return `<row r="${number}">${written.join('')}</row>`;
}

function cellXml(cell: Cell, place: string): string {
	if (cell === null || cell === undefined || cell === '') return '';
	if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
	if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${Number(cell)}</v></c>`;
	return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
}

/** A to Z, then AA and on. */
function columnName(index: number): string {
	const last = String.fromCharCode(65 + (index % 26));
	return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}

function escapeXml(text: string): string {
	return text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;');
}
