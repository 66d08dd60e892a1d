/** The result, or the signal's reason thrown as soon as it is aborted. A result that fails later is nobody's failure. */
export async function unlessAborted<Result>(
	result: Promise<Result> | undefined,
	signal: AbortSignal,
): Promise<Result | undefined> {
	return await new Promise((resolve, reject) => {
		const stop = () => reject(signal.reason as Error);
		if (signal.aborted) stop();
		signal.addEventListener('abort', stop, { once: true });
		void Promise.resolve(result)
			.then(resolve, reject)
			.finally(() => signal.removeEventListener('abort', stop));
	});
}
