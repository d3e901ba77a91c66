/** Loaded into a service (`--import`): its machine's clock is off by what the file CLOCK_SHIFT_FILE says, in milliseconds, read again on SIGUSR2. */
import { readFileSync } from 'node:fs';

const Machine = Date;
let shiftMs = 0;
const read = () => (shiftMs = Number(readFileSync(process.env.CLOCK_SHIFT_FILE!, 'utf8')));
const now = () => Machine.now() + shiftMs;

read();
process.on('SIGUSR2', read);
globalThis.Date = class extends Machine {
  constructor(...given: [] | [number]) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static override now(): number {
    return now();
  }
} as DateConstructor;
