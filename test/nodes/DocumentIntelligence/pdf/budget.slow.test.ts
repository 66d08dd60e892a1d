import { corpus } from '../../../pdf/corpus';
import { opened } from '../../../pdf/cutting';

afterEach(() => {
	jest.restoreAllMocks();
});

test('a clock that is set back does not block n8n', async () => {
	const file = corpus['1,000 pages']!.file();
	jest.spyOn(Date, 'now').mockReturnValue(0);
	let turns = 0;
	const timer = setInterval(() => (turns += 1), 1);
	const bundle = await opened(file);
	for (let round = 0; round < 3; round++)
		await bundle.cut(Array.from({ length: bundle.pageCount }, (_, index) => index + 1));
	clearInterval(timer);
	expect(turns).toBeGreaterThan(3);
});

test('what is done between two parts is not charged to the file', async () => {
	const bundle = await opened(corpus.plain!.file());
	const now = performance.now.bind(performance);
	let stored = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now() + stored);
	// Storing takes longer than a slice each time, and there are more slices than a small file may take.
	for (let part = 0; part < 1600; part++) {
		stored += 21;
		if (typeof (await bundle.cut([1])) === 'string') throw new Error(`Part ${part} is missing.`);
	}
}, 120_000);
