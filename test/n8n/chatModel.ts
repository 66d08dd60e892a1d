import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface ChatRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{
		function: { name: string; description?: string; parameters: { properties?: object } };
	}>;
}

export interface ChatModel {
	/** For the Base URL of the credential. */
	url: string;
	requests: ChatRequest[];
	close(): void;
}

/**
 * A chat model that follows a script, behind the interface of OpenAI: it calls the only tool it is offered once, with
 * the arguments given, or found in what it was asked, and then repeats what the tool said.
 */
export async function startChatModel(
	toolArguments: object | ((asked: string) => object),
): Promise<ChatModel> {
	const requests: ChatRequest[] = [];
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			const chat = JSON.parse(body) as ChatRequest;
			requests.push(chat);
			response.setHeader('content-type', 'application/json');
			const given =
				typeof toolArguments === 'function'
					? (toolArguments as (asked: string) => object)(JSON.stringify(chat.messages))
					: toolArguments;
			response.end(JSON.stringify(completion(chat, given)));
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		requests,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

function completion({ messages, tools = [] }: ChatRequest, toolArguments: object): object {
	const last = messages.at(-1);
	const name = tools[0]?.function.name;
	const called = last?.role === 'tool' || name === undefined;
	const message = called
		? { role: 'assistant', content: `The tool says: ${JSON.stringify(last?.content)}` }
		: {
				role: 'assistant',
				content: null,
				tool_calls: [
					{
						id: 'call-1',
						type: 'function',
						function: { name, arguments: JSON.stringify(toolArguments) },
					},
				],
			};
	return {
		id: 'completion-1',
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason: called ? 'stop' : 'tool_calls' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
