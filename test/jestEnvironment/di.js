module.exports = globalThis.once('@n8n/di');
