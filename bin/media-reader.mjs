/** Reads uploaded files for the service, in the image: a checkout runs dist/src/creatives/media-inspection/media-reader.process.js. */
import { openBundle } from './bundle.mjs';

openBundle('media-reader').keep();
