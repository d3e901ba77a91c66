/** Starts the service from its bundle. */
import { openBundle } from './bundle.mjs';
import { stopWithNpm } from './stop-with-npm.mjs';

stopWithNpm();
const { exports, keep } = openBundle('service');
void exports.serve().then(() => {
  keep();
  exports.keepRowsYoung();
});
