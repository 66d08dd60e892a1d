import { startScriptedServer } from '../nodes/scriptedServer';
import { closeAtEnd } from './processes';

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string; parameters: { properties?: object } } }>;
}

/**
 * A chat model that follows a script, behind the interface of OpenAI: it calls the only tool it is offered once, and then
 * repeats what the tool said.
 *
 * @param toolArguments from what it was asked
 * @returns the URL for the credential, and the requests
 */
export async function startChatModel(
	toolArguments: (asked: string) => object,
): Promise<{ url: string; requests: ChatRequest[] }> {
	const requests: ChatRequest[] = [];
	const server = await startScriptedServer({
		otherwise: (response) => {
			const chat = JSON.parse(String(server.received.at(-1)?.body)) as ChatRequest;
			requests.push(chat);
			response.setHeader('content-type', 'application/json');
			const given = toolArguments(JSON.stringify(chat.messages));
			response.end(JSON.stringify(completion(chat, given)));
		},
	});
	closeAtEnd(server);
	return { url: `${server.url}/v1`, requests };
}

function completion({ messages, tools = [] }: ChatRequest, toolArguments: object): object {
	const last = messages.at(-1);
	const name = tools[0]?.function.name;
	const called = last?.role === 'tool' || name === undefined;
	const call = { name, arguments: JSON.stringify(toolArguments) };
	const message = called
		? { content: `The tool says: ${JSON.stringify(last?.content)}` }
		: { content: null, tool_calls: [{ id: 'call-1', type: 'function', function: call }] };
	const finish_reason = called ? 'stop' : 'tool_calls';
	return {
		id: 'completion-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
