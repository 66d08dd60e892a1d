/** Sets the time of every entry of a zip file, so that the same contents are the same bytes. */
export function stampZip(bytes: Buffer, when: Date): Buffer {
	const stamped = Buffer.from(bytes);
	const end = stamped.lastIndexOf('PK\x05\x06', undefined, 'latin1');
	const entries = stamped.readUInt16LE(end + 10);
	let entry = stamped.readUInt32LE(end + 16);
	for (let count = 0; count < entries; count++) {
		// The time stands twice: in the directory at the end, and in front of the data.
		stamped.writeUInt32LE(dosTime(when), entry + 12);
		stamped.writeUInt32LE(dosTime(when), stamped.readUInt32LE(entry + 42) + 10);
		const name = stamped.readUInt16LE(entry + 28);
		const extra = stamped.readUInt16LE(entry + 30);
		const comment = stamped.readUInt16LE(entry + 32);
		entry += 46 + name + extra + comment;
	}
	return stamped;
}

/** Date in the upper 16 bits, time in the lower, seconds halved. */
function dosTime(when: Date): number {
	const date = ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate();
	const time = (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1);
	return date * 65536 + time;
}
