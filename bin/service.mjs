/** Starts the service from its bundle. */
import { setFlagsFromString } from 'node:v8';
import { openBundle } from './bundle.mjs';
import { stopWithNpm } from './stop-with-npm.mjs';

stopWithNpm();
const { exports, keep } = openBundle('service');
void exports.serve().then(() => {
  keep();
  // V8 would allocate the rows of large answers as old objects as soon as some outlive a collection. Dead ones then keep
  // what they refer to, and on Node 26 a list takes twice as long. After `keep`: compiled code is kept under other flags.
  setFlagsFromString('--no-allocation-site-pretenuring');
});
