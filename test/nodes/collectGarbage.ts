import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Before memory is measured; it takes a while. */
export const collectGarbage = (() => {
	setFlagsFromString('--expose-gc');
	return runInNewContext('gc') as () => void;
})();
