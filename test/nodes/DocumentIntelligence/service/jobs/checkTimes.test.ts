import { CheckTimes } from '../../../../../nodes/DocumentIntelligence/service/jobs/checkTimes';

test('of several pauses that Cogneris asks for, the longest counts, and a new job does not shorten it', () => {
	const times = new CheckTimes();
	times.plan(0);
	times.heed(0, 30_000);
	times.heed(0, 5000);
	times.beginAnew(1000);
	times.plan(0);
	expect(times.next).toBe(30_000);
});
