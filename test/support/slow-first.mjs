import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/**
 * What starts processes or a browser, or fills tables, takes up to minutes: begun last, it would keep one of two cores waiting for
 * the other. Files are sorted by size where nothing knows their times, as in a fresh clone.
 */
const SLOW = [
  /\/e2e\/(cli|clients|docs)\//,
  /\/e2e\/(model|accounts\/role-matrix|auth\/oauth2-scopes|client\/package|lists\/list-plans|mcp\/conformance|names\/words)\./,
  /\/e2e\/(creatives\/post-previews-browser|operations\/pooler|webhooks\/deliveries|workbench\/(page|snapshot-fuzz))\b/,
  /\/unit\/(docs\/generators|blobs\/blob-store)\./,
];
const isSlow = ({ path }) => SLOW.some((pattern) => pattern.test(path));
/** They use one service in a row; one that has its own in between would end it. */
const isSharing = ({ path }) => readFileSync(path, 'utf8').includes('useSharedApp()');

const placeOf = (test) => (isSlow(test) ? 0 : isSharing(test) ? 1 : 2);

export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests).map((test) => ({ test, place: placeOf(test) }));
    return sorted.sort((a, b) => a.place - b.place).map(({ test }) => test);
  }
}
