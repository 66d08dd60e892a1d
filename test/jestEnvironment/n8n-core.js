module.exports = globalThis.once('n8n-core');
