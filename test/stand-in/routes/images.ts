import type { IncomingMessage, ServerResponse } from 'node:http';
import { send } from '../http/responses';
import type { Service } from '../state/service';

/** Downloads of cropped images: no API key, no fault and no rate limit concerns them. */
export const imagePath = '/_stand-in/images/';

export async function serveImage(
	service: Service,
	address: URL,
	request: IncomingMessage,
	response: ServerResponse,
) {
	service.records.begin('image', address, request, response, 0);
	const { pathname, searchParams } = address;
	send(response, await service.images.fetch(pathname.slice(imagePath.length), searchParams));
}
