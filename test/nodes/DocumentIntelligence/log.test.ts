import type { IExecuteFunctions, INodeType } from 'n8n-workflow';

import { DocumentIntelligenceApi } from '../../../credentials/DocumentIntelligenceApi.credentials';
import { DocumentIntelligence } from '../../../nodes/DocumentIntelligence/DocumentIntelligence.node';
import { runItems } from '../../../nodes/DocumentIntelligence/run/runItems';
import { fastLimiters } from '../clock';
import { useService } from '../service';
import { invoiceItems } from '../samples';

const service = useService();

test('the log has counts, and no name or content of a document', async () => {
	const logged: Array<[level: string, message: string, counts?: object]> = [];
	const logger = Object.fromEntries(
		['error', 'warn', 'info', 'debug'].map((level) => [
			level,
			(...line: [string, object]) => logged.push([level, ...line]),
		]),
	);
	const limiters = fastLimiters(100);
	const node: INodeType = {
		description: new DocumentIntelligence().description,
		async execute() {
			return await runItems(
				Object.create(this, { logger: { value: logger } }) as IExecuteFunctions,
				limiters,
			);
		},
	};
	await service.standIn.queueFaults([{ kind: 'retryable503' }]);
	await service.run({ operation: 'extract' }, await invoiceItems(2), {
		types: { node, credential: new DocumentIntelligenceApi() },
	});

	expect(logged).toEqual([['debug', 'Document Intelligence finished', expect.any(Object)]]);
	const [, , counts = {}] = logged[0] ?? [];
	expect(counts).toMatchObject({
		operation: 'extract',
		documents: 2,
		processed: 2,
		failed: 0,
		requests: 3,
		retries: 1,
		rejections: 0,
	});
	const others = Object.entries(counts).filter(
		([name, value]) => name !== 'operation' && typeof value !== 'number',
	);
	expect(others).toEqual([]);
	expect(JSON.stringify(logged)).not.toMatch(/\d\.pdf|xtkt_/);
});
