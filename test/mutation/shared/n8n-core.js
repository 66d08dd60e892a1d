module.exports = globalThis.sharedPackages['n8n-core'];
