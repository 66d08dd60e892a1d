import { createHost, type Workflow } from '../../test/n8n/host';
import { packNode } from '../../test/n8n/pack';
import { latestN8n } from '../../test/n8n/recipes';
import { owner } from '../../test/n8n/server';
import { documents } from './example';
import type { Demo } from './main';

/** @returns where the workflow can be seen in n8n's editor, and how to sign in */
export async function inN8n(
	{ credential, output, step, undo }: Demo,
	workflow: Workflow,
): Promise<{ url: string; email: string; password: string }> {
	step('building and packing the node');
	const packed = await packNode();
	undo(async () => await packed.remove());

	step(`preparing n8n ${latestN8n}`);
	const host = await createHost({ packageTarball: packed.tarball, files: [documents, output] });
	undo(async () => await host.stop());

	step('starting n8n');
	const n8n = await host.start();
	await n8n.addCredential({
		name: 'Document Intelligence',
		type: 'documentIntelligenceApi',
		data: credential,
	});
	const workflowId = await n8n.addWorkflow(workflow);

	step(`running the workflow "${workflow.name}"`);
	const execution = await n8n.run(workflowId);
	if (execution.status !== 'success') {
		const { message, description } = execution.error ?? { message: 'no reason given' };
		const reason = [message, description].filter(Boolean).join('\n');
		throw new Error(`n8n reports "${execution.status}" at "${execution.lastNode}": ${reason}`);
	}
	return { url: `${n8n.url}/workflow/${workflowId}`, ...owner };
}
