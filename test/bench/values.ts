import { performance } from 'node:perf_hooks';

import { readMetadata } from '../../nodes/DocumentIntelligence/results/fields';
import {
	typedValues,
	type ValueSettings,
} from '../../nodes/DocumentIntelligence/values/typedValues';

const ROUNDS = 5;
const COLUMNS = 8;

/** Time for the values of one document: rows of a statement of 200 pages, hardly any text twice, the median of some rounds. */
export function values(cells: number): object[] {
	const document = readMetadata({
		fields: { total: '1.234.567,89 €', lines: rows(cells / COLUMNS) },
	});
	const settings: ValueSettings = { decimalMark: 'detect', dateOrder: 'detect', textFields: [] };
	const times = Array.from({ length: ROUNDS }, () => {
		const startedAt = performance.now();
		const { uncertain } = typedValues(document, settings);
		if (uncertain.length > 0) throw new Error(`${uncertain.length} uncertain values`);
		return performance.now() - startedAt;
	});
	// The first one also makes the tables of names.
	const [first = 0, ...remaining] = times;
	const median = remaining.sort((one, other) => one - other)[Math.floor(remaining.length / 2)];
	return [{ cells, 'first, ms': first.toFixed(0), 'later, ms': (median ?? 0).toFixed(0) }];
}

function rows(count: number): object[] {
	return Array.from({ length: count }, (_, row) => {
		const day = String((row % 28) + 1).padStart(2, '0');
		const cents = String(row % 100).padStart(2, '0');
		return {
			booked: `${day}.03.2026`,
			valueDate: `${day}. März 2026`,
			purpose: `Rechnung RE-2026-${row} vom ${day}.02.2026, vielen Dank`,
			reference: `2026${row}`,
			quantity: `${row},5`,
			rate: `${row % 20},00 %`,
			amount: `${(row % 999) + 1}.${String(row % 1000).padStart(3, '0')},${cents} €`,
			balance: `-${row},${cents} EUR`,
		};
	});
}
