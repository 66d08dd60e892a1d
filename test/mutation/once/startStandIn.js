/** The one stand-in, with the settings of each file of tests. */
exports.startStandIn = async (settings = {}) => {
	const standIn = await globalThis.once.startStandIn();
	const reset = async () => {
		await standIn.reset();
		await standIn.configure(settings);
	};
	await reset();
	return { ...standIn, reset, stop: async () => undefined };
};

exports.keys = require('../../stand-in/access/keys').keys;
