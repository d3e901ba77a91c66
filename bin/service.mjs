/** Starts the service from its bundle. */
import { openBundle } from './bundle.mjs';

const { exports, keep } = openBundle('service');
void exports.serve().then(keep);
