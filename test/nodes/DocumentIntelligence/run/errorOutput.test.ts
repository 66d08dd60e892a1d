import {
	Workflow,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type OnError,
} from 'n8n-workflow';

import { failedItem } from '../../../../nodes/DocumentIntelligence/run/items';
import { DocumentError } from '../../../../nodes/DocumentIntelligence/text/errors';
import { plainNode, startWorkflow } from '../../../n8n-core/runWorkflow';

/** What n8n makes of a failed item and a result: the items of the node's outputs, in n8n's own execution of a workflow. */
async function outputsUnder(onError: OnError): Promise<unknown[][]> {
	const execute: Record<string, (this: IExecuteFunctions) => INodeExecutionData[]> = {
		start: () => [{ json: { subject: 'one' } }, { json: { subject: 'two' } }],
		read() {
			const failure = new DocumentError('"a.pdf" is empty', 'Check the node before.');
			return [
				failedItem(this, failure, 0, 'a.pdf'),
				{ json: { fileName: 'b.pdf' }, pairedItem: { item: 1 } },
			];
		},
	};
	const typeOf = (name: string) =>
		({
			description: { inputs: name === 'start' ? [] : ['main'], outputs: ['main'], properties: [] },
			execute(this: IExecuteFunctions) {
				return Promise.resolve([execute[name]?.call(this) ?? []]);
			},
		}) as unknown as INodeType;
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [plainNode('start'), { ...plainNode('read'), onError }],
		connections: { start: { main: [[{ node: 'read', type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes: { getByName: typeOf, getByNameAndVersion: typeOf, getKnownTypes: () => ({}) },
	});
	const { data } = await startWorkflow(workflow);
	const [run] = data.resultData.runData.read ?? [];
	return run?.data?.main?.map((items) => items?.map(({ json }) => json) ?? []) ?? [];
}

const failed = {
	fileName: 'a.pdf',
	error: {
		message: '"a.pdf" is empty',
		fileName: 'a.pdf',
		description: 'Check the node before.',
	},
};

test('a failed item reaches the error output whole, with the file name next to the error', async () => {
	expect(await outputsUnder('continueErrorOutput')).toEqual([
		[{ fileName: 'b.pdf' }],
		[{ subject: 'one', ...failed }],
	]);
	expect(await outputsUnder('continueRegularOutput')).toEqual([[failed, { fileName: 'b.pdf' }]]);
});
