/** The name, with as many underscores behind it as it takes not to be in use. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
	let free = name;
	while (isTaken(free)) free += '_';
	return free;
}
