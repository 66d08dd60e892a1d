import type { IDataObject } from 'n8n-workflow';

import { useBinaryMode } from '../n8n-core/runNode';
import { numberedInvoice } from '../nodes/samples';
import { startStandIn, type StandIn, type Step } from '../stand-in/startStandIn';
import { FAULT_RATE, FAULTS, inThousands, report, soak, SOAK_SETTINGS, usualRows } from './soaking';

// With UPDATE_DOCS=1, writes its table to docs/internals/soaks.md.

const STEPS: Step[] = ['store', 'submit', 'list', 'get', 'fetch'];

/** Share of the faults that lose the response to a request that was processed. */
const AFTER_WORK = 0.5;

const invoiceNumber = (number: number) => `INV-${String(number).padStart(6, '0')}`;

describe('Thousands of documents as jobs of a service that fails now and then', () => {
	let standIn: StandIn;

	beforeAll(async () => {
		await useBinaryMode('filesystem');
		standIn = await startStandIn({
			...SOAK_SETTINGS,
			faultSteps: STEPS,
			faultAfterWork: AFTER_WORK,
			jobRunMs: [50, 1500],
		});
	});
	afterAll(async () => await standIn.stop());

	test(
		'every one is delivered, with its own content, and billed once; memory stays flat',
		async () => {
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
			for (const { files } of charges)
				for (const { sha256 } of files) billed.set(sha256, (billed.get(sha256) ?? 0) + 1);
			const timesBilled = [...billed.values()];
			expect(timesBilled.filter((times) => times !== 1)).toEqual([]);
			expect(charges).toHaveLength(digests.length);

			const requests = await standIn.requests();
			const refusedForTheRate = requests.filter(
				({ refused, fault }) => refused && fault === null,
			).length;
			expect(refusedForTheRate).toBe(0);
			// Every kind of fault occurred, at every step about as often as configured. Otherwise the soak proves too little.
			expect(FAULTS.filter((kind) => !requests.some(({ fault }) => fault === kind))).toEqual([]);
			const atStep = (step: Step) => {
				const made = requests.filter((request) => request.step === step);
				return { made: made.length, faults: made.filter(({ fault }) => fault !== null).length };
			};
			for (const step of ['store', 'submit', 'fetch'] as const) {
				const { made, faults } = atStep(step);
				expect(faults / made).toBeGreaterThan(FAULT_RATE * 0.6);
				expect(faults / made).toBeLessThan(FAULT_RATE * 1.4);
			}
			expect(atStep('list').faults).toBeGreaterThan(0);
			const recovered = requests.filter(({ replayed }) => replayed).length;
			expect(recovered).toBeGreaterThan(0);
			const perDocument = requests.length / digests.length;
			expect(perDocument).toBeLessThan(3.5);

			const words = ({ made, faults }: ReturnType<typeof atStep>) =>
				`${inThousands(made)}, of which ${faults} met a fault`;
			report('soakJobs', [
				['Documents delivered, each with its own content', inThousands(results - mistaken)],
				['Failed items', inThousands(failed)],
				['Billed twice', inThousands(timesBilled.filter((times) => times > 1).length)],
				['Billed and not delivered', inThousands(charges.length - results)],
				['Repeated submissions that returned the original job', inThousands(recovered)],
				['Files stored', words(atStep('store'))],
				['Jobs submitted', words(atStep('submit'))],
				['Status checks', words(atStep('list'))],
				['Jobs requested by ID', words(atStep('get'))],
				['Results fetched', words(atStep('fetch'))],
				['Requests per document', perDocument.toFixed(2)],
				['Refused because the node was too fast', inThousands(refusedForTheRate)],
				...usualRows(soaked),
			]);
		},
		20 * 60_000,
	);
});
