/** An answer that the contract does not allow: of the stand-in itself, or of a fault that does not say that it breaks it. */
export interface Violation {
	/** Of the request. */
	sequence: number;
	path: string;
	/** The kind of the fault; null for an answer of the stand-in itself. */
	fault: string | null;
	reasons: string[];
}

export class Violations {
	private violations: Violation[] = [];

	add(violation: Violation) {
		this.violations.push(violation);
	}

	all(): Violation[] {
		return this.violations;
	}

	clear() {
		this.violations = [];
	}
}
