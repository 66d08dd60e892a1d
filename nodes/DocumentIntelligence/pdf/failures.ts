// What reading a file may come to; each is handled in one place.

/** The file, or what is made of it, is over one of the bounds in `bounds.ts`. */
export class TooComplex extends Error {}

/** The file needs a password, or is encrypted in a way that the library does not know. */
export class Locked extends Error {}

/** What a cross-reference table says is not there: the file is to be read as if it had none. */
export class DamagedTable extends Error {}

/** An object breaks off or has something in it that belongs to no object. */
export class DamagedObject extends Error {}

type Kind<E> = abstract new (...parameters: never[]) => E;

/** What `work` returns, or what it throws, if that is of one of these kinds; anything else is thrown on. */
export function attempt<T, E>(work: () => T, ...kinds: Array<Kind<E>>): T | E {
	let thrown: unknown;
	try {
		return work();
	} catch (caught) {
		thrown = caught;
	}
	return expected(thrown, kinds);
}

/** As `attempt`, for work that takes a while. */
export async function attemptAsync<T, E>(
	work: () => Promise<T>,
	...kinds: Array<Kind<E>>
): Promise<T | E> {
	let thrown: unknown;
	try {
		return await work();
	} catch (caught) {
		thrown = caught;
	}
	return expected(thrown, kinds);
}

function expected<E>(thrown: unknown, kinds: Array<Kind<E>>): E {
	for (const kind of kinds) {
		if (thrown instanceof kind) return thrown;
	}
	throw thrown;
}
