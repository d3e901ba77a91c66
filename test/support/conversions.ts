import { setTimeout as pause } from 'node:timers/promises';
import { ConversionMatching } from '../../src/measurement/attribution/conversion-matching.service.js';
import { world } from './app.js';

/** Waits until the conversions of an account are matched, by this test or by a loop that took them first. */
export async function conversionsMatched(accountId: string): Promise<void> {
  await world().get(ConversionMatching).matchAll();
  const waiting = () => world().sql(`SELECT FROM conversions_to_match WHERE "accountId" = $1`, accountId);
  while ((await waiting()).length > 0) await pause(20);
}
