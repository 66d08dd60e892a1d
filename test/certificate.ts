import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const ARGUMENTS = [
	'req -x509 -nodes -days 1 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1',
	'-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout - -out -',
].flatMap((part) => part.split(' '));

/**
 * A key and a certificate for loopback, both as PEM, that nobody has reason to trust.
 *
 * @throws with the code `ENOENT` where the machine has no openssl
 */
export async function selfSigned(): Promise<{ key: string; cert: string }> {
	// Node can read certificates but not issue them.
	const { stdout } = await promisify(execFile)('openssl', ARGUMENTS);
	return { key: stdout, cert: stdout };
}
