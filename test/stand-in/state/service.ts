import { RateWindow } from '../access/rateWindow';
import { FaultQueue } from '../faults/faultQueue';
import { seededRandom } from '../faults/random';
import type { Settings } from '../settings';
import { Records } from './records';
import { SignedImages } from './signedImages';

/** Everything a running service holds. */
export class Service {
	readonly records = new Records();
	readonly faults = new FaultQueue();
	readonly rateWindow = new RateWindow();
	readonly images: SignedImages;
	/** Requests accepted so far, for the quota. */
	acceptedRequests = 0;
	settings: Settings;
	random: () => number;

	/** `folder` takes uploads and images; `origin` is the address that links are made with. */
	constructor(
		private readonly initialSettings: Settings,
		readonly folder: string,
		origin: () => string,
	) {
		this.settings = initialSettings;
		this.random = seededRandom(initialSettings.seed);
		this.images = new SignedImages(folder, origin, this.now, () => this.settings.imageLifetimeMs);
	}

	now = (): number => Date.now() + this.settings.clockSkewMs;

	configure(changes: Partial<Settings>) {
		this.settings = { ...this.settings, ...changes };
		this.random = seededRandom(this.settings.seed);
	}

	reset() {
		this.records.clear();
		this.faults.clear();
		this.rateWindow.clear();
		this.acceptedRequests = 0;
		this.configure(this.initialSettings);
	}
}
