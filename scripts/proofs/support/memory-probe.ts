/** Loaded into a service (`--import`) beside everything else: tells how much memory stays resident once garbage is collected. */
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { tell } from './probe.js';

/** Pages are given back beside everything else. */
const GIVEN_BACK_MS = 2_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

tell(async () => {
  collect();
  await pause(GIVEN_BACK_MS);
  return process.memoryUsage.rss() / 2 ** 20;
});
