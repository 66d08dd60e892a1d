/** A megabyte as the service counts it (docs/internals/service-contract.md, limits), in bytes. */
export const MB = 1024 * 1024;
