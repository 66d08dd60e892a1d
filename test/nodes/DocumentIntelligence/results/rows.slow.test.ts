import { readMetadata } from '../../../../nodes/DocumentIntelligence/results/fields';
import { buildRows } from '../../../../nodes/DocumentIntelligence/results/rows';

test('all rows have all columns while at most two million cells are empty, and else the first only', () => {
	const columns = (count: number) =>
		Object.fromEntries(Array.from({ length: count }, (_, number) => [`c${number}`, 1]));
	const sparse = (count: number) =>
		buildRows([
			...Array.from({ length: 1000 }, () => ({ metadata: {}, additions: {} })),
			{ metadata: columns(count), additions: {} },
		]);
	const complete = sparse(2000);
	expect(Object.keys(complete.rows[1]?.[0] ?? {})).toHaveLength(2000);
	expect(complete.remarks).toEqual([]);
	const { rows, remarks } = sparse(2001);
	expect(rows.map(([row]) => Object.keys(row ?? {}).length)).toEqual([
		2001,
		...Array<number>(999).fill(0),
		2001,
	]);
	expect(remarks).toEqual(['too many empty cells, so only the first row has all 2001 columns']);
});

test('thousands of rows with thousands of doubts take seconds', () => {
	const rows = Array.from({ length: 20_000 }, (_, number) => ({ sku: number, amount: 1 }));
	const metadata = readMetadata({ fields: { lines: rows, history: rows.slice(1) } });
	const paths = ['lines', 'history'].flatMap((table) =>
		rows.map((_, position) => ({ path: ['fields', table, position, 'amount'], why: 'is odd' })),
	);
	const additions = { lowConfidenceFields: [], uncertainFields: [] };
	const doubts = { lowConfidenceFields: paths, uncertainFields: paths };
	// Processor time, in microseconds, which a busy machine does not change.
	const startedAt = process.cpuUsage();
	const laid = buildRows([{ metadata, additions, doubts, rowsFrom: 'lines' }]).rows.flat();
	expect(process.cpuUsage(startedAt).user).toBeLessThan(5_000_000);
	expect(laid).toHaveLength(20_000);
	expect(laid[19_999]).toMatchObject({
		sku: 19_999,
		uncertainFields: 'history, lines[19999].amount',
	});
});
