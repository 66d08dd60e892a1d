module.exports = globalThis.once('n8n-workflow');
