import { startScriptedServer } from '../../scriptedServer';
import { useService } from '../../service';
import { sampleBytes } from '../../samples';

const service = useService();
const CONCURRENCY = 3;

test('the links of a request with many files are followed a few at a time', async () => {
	const files = await startScriptedServer();
	try {
		let open = 0;
		let most = 0;
		files.serve('/invoice.pdf', (response) => {
			most = Math.max(most, ++open);
			setTimeout(() => {
				open -= 1;
				response.writeHead(200, { 'content-type': 'application/pdf' });
				response.end(sampleBytes('invoice-us.pdf'));
			}, 50);
		});
		const links = Array.from({ length: 12 }, (_, number) => `${files.url}/invoice.pdf?${number}`);
		const parameters = { operation: 'classify', inputSource: 'fileUrl', fileUrl: links.join(' ') };
		const options = { concurrency: CONCURRENCY, filesPerRequest: 20 };
		const { items } = await service.run({ ...parameters, options }, [{ json: {} }]);
		expect(items).toHaveLength(12);
		expect(most).toBe(CONCURRENCY);
	} finally {
		files.close();
	}
});
