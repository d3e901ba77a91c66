import { fileURLToPath } from 'node:url';

/** The root of the project; this file runs from dist/scripts/proofs/support. */
export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** The service as it is started in life. */
export const MAIN = fileURLToPath(new URL('../../../../bin/service.mjs', import.meta.url));
