import { uniquePdf } from '../nodes/samples';
import type { FaultKind, RecordedRequest } from '../stand-in/startStandIn';
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

/** Rejected or, as the service says, not processed: only these may be followed by another request for the document. */
const COSTS_NOTHING: readonly FaultKind[] = [
	...(['rateLimit', 'quotaExceeded', 'retryable500', 'retryable503'] as const),
];

/** These responses come before the upload is read, so the record does not contain the document. */
const BEFORE_UPLOAD: readonly FaultKind[] = ['refuse', 'rateLimit', 'quotaExceeded'];

const service = useOwnStandIn(SOAK_SETTINGS);

test(
	'of thousands of documents, each is accounted for once, none is processed twice, and memory stays flat',
	async () => {
		const soaked = await soak(service.standIn, {}, uniquePdf, () => undefined);
		const { digests, results, failed } = soaked;

		const requests = await service.standIn.requests();
		const unknown = requests.filter(({ parts }) => parts.length === 0);
		const byDocument = new Map(digests.map((digest) => [digest, [] as RecordedRequest[]]));
		for (const request of requests)
			for (const part of request.parts)
				if ('sha256' in part) byDocument.get(part.sha256)?.push(request);
		const ofDocuments = [...byDocument.values()];
		expect(ofDocuments.flat().length + unknown.length).toBe(requests.length);

		// Requests without a document were cut off by the stand-in before the upload, or rejected by the rate limit.
		for (const { fault, refused } of unknown)
			expect(refused || (fault !== null && BEFORE_UPLOAD.includes(fault))).toBe(true);
		const processed = ofDocuments.map(
			(own) => own.filter(({ fault }) => fault === null || !COSTS_NOTHING.includes(fault)).length,
		);
		expect(processed.filter((times) => times > 1)).toEqual([]);
		// Only a document whose connection broke before the upload was never processed.
		const brokenBefore = unknown.filter(({ fault }) => fault === 'refuse').length;
		expect(processed.filter((times) => times === 0).length).toBeLessThanOrEqual(brokenBefore);
		// Every successful response is a result, so nothing billed is lost.
		const answered = ofDocuments.filter((own) =>
			own.some(({ fault, refused }) => fault === null && !refused),
		);
		expect(results).toBe(answered.length);
		expectUsualFaults(requests);
		// Some faults are permanent.
		expect(failed).toBeGreaterThan(0);

		const faults = requests.filter(({ fault }) => fault !== null).length;
		report('soak', [
			['Results', inThousands(results)],
			['Failed items, each with its document’s name', inThousands(failed)],
			['Documents without either, or with both', inThousands(digests.length - results - failed)],
			['Requests', `${inThousands(requests.length)}, of which ${faults} met a fault`],
			['Refused because the node was too fast', inThousands(refusedForTheRate(requests))],
			['Documents processed twice', inThousands(processed.filter((times) => times > 1).length)],
			[
				'Results returned by the service but lost by the node',
				inThousands(answered.length - results),
			],
			...usualRows(soaked),
		]);
	},
	20 * 60_000,
);
