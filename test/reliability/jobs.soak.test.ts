import type { IDataObject } from 'n8n-workflow';

import { numberedInvoice } from '../nodes/samples';
import type { Step } from '../stand-in/startStandIn';
import {
	expectUsualFaults,
	inThousands,
	refusedForTheRate,
	report,
	soak,
	SOAK_SETTINGS,
	useOwnStandIn,
	usualRows,
} from './soaking';

// With UPDATE_DOCS=1, writes its table to docs/internals/soaks.md.

const service = useOwnStandIn({
	...SOAK_SETTINGS,
	faultSteps: ['store', 'submit', 'list', 'get', 'fetch'],
	// Share of the faults that lose the response to a request that was processed.
	faultAfterWork: 0.5,
	jobRunMs: [50, 1500],
});

const invoiceNumber = (number: number) => `INV-${String(number).padStart(6, '0')}`;

test(
	'of thousands of documents as jobs, every one is delivered, with its own content, and billed once; memory stays flat',
	async () => {
		const { standIn } = service;
		const ids = new Set<unknown>();
		let mistaken = 0;
		const check = (json: IDataObject, number: number) => {
			const { invoiceNumber: found } = json.fields as IDataObject;
			if (found !== invoiceNumber(number)) mistaken += 1;
			ids.add(json.extractionId);
		};
		const contentOf = (number: number) => numberedInvoice(invoiceNumber(number));
		// A run reads the list so rarely that no random fault may affect it.
		await standIn.queueFaults([{ kind: 'html502' }, { kind: 'reset' }], 'list');
		const soaked = await soak(standIn, { processing: 'job' }, contentOf, check);
		const { digests, results, failed } = soaked;

		expect([results, failed, mistaken]).toEqual([digests.length, 0, 0]);
		// As many results from the service as documents: none is used for two documents.
		expect(ids.size).toBe(digests.length);
		const billed = new Map(digests.map((digest) => [digest, 0]));
		const charges = await standIn.charges();
		for (const { sha256 } of charges.flatMap(({ files }) => files))
			billed.set(sha256, (billed.get(sha256) ?? 0) + 1);
		const timesBilled = [...billed.values()];
		expect(timesBilled.filter((times) => times !== 1)).toEqual([]);
		expect(charges).toHaveLength(digests.length);

		const requests = await standIn.requests();
		const atStep = (step: Step) => requests.filter((request) => request.step === step);
		for (const step of ['store', 'submit', 'fetch'] as const)
			expectUsualFaults(requests, atStep(step));
		expect(atStep('list').some(({ fault }) => fault !== null)).toBe(true);
		const recovered = requests.filter(({ replayed }) => replayed).length;
		expect(recovered).toBeGreaterThan(0);
		const perDocument = requests.length / digests.length;
		expect(perDocument).toBeLessThan(3.5);

		const inWords = (step: Step) => {
			const faults = atStep(step).filter(({ fault }) => fault !== null).length;
			return `${inThousands(atStep(step).length)}, of which ${faults} met a fault`;
		};
		report('soakJobs', [
			['Documents delivered, each with its own content', inThousands(results - mistaken)],
			['Failed items', inThousands(failed)],
			['Billed twice', inThousands(timesBilled.filter((times) => times > 1).length)],
			['Billed and not delivered', inThousands(charges.length - results)],
			['Repeated submissions that returned the original job', inThousands(recovered)],
			['Files stored', inWords('store')],
			['Jobs submitted', inWords('submit')],
			['Status checks', inWords('list')],
			['Jobs requested by ID', inWords('get')],
			['Results fetched', inWords('fetch')],
			['Requests per document', perDocument.toFixed(2)],
			['Refused because the node was too fast', inThousands(refusedForTheRate(requests))],
			...usualRows(soaked),
		]);
	},
	20 * 60_000,
);
