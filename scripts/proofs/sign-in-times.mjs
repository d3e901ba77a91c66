#!/usr/bin/env node
/**
 * Whether signing in tells which usernames exist: 200 wrong passwords for names that exist and 200 for names that do not,
 * in turns, each from an address of its own. The answers have to be the same, and their medians within 3 ms.
 */
import { CredentialsService } from '../../dist/src/auth/credentials/credentials.service.js';
import { quantile, signIn, withService } from './house.mjs';

const EACH = 200;
const MOST_APART_MS = 3;
const nameOf = (i) => `person_${String(i).padStart(4, '0')}`;

async function createPeople(app) {
  const credentials = app.get(CredentialsService);
  for (let i = 0; i < EACH; i++) await credentials.createUser(nameOf(i), { password: 'a password' });
}

async function compare(url) {
  const times = { known: [], unknown: [] };
  const answers = new Set();
  for (let i = 0; i < 20; i++) await signIn(url, `10.9.9.${i}`, `somebody_${i}`, 'to warm up');
  for (let i = 0; i < EACH; i++) {
    const pair = [
      ['known', nameOf(i)],
      ['unknown', nameOf(i).replace('person', 'nobody')],
    ];
    for (const [kind, name] of i % 2 === 0 ? pair : pair.reverse()) {
      const { ms, ...answer } = await signIn(url, `10.${kind === 'known' ? 1 : 2}.0.${i + 1}`, name, 'wrong');
      times[kind].push(ms);
      answers.add(JSON.stringify(answer));
    }
  }
  const [one, other] = [quantile(times.known, 0.5), quantile(times.unknown, 0.5)];
  const apart = Math.abs(one - other);
  console.log(`answers: ${answers.size === 1 ? 'the same' : `${answers.size} different ones`}`);
  console.log(
    `median: ${one.toFixed(2)} ms for known names, ${other.toFixed(2)} ms for unknown ones, ${apart.toFixed(2)} ms apart`,
  );
  const differences = times.known.map((ms, i) => ms - times.unknown[i]);
  console.log(`median of the differences within pairs: ${quantile(differences, 0.5).toFixed(2)} ms`);
  process.exitCode = answers.size === 1 && apart <= MOST_APART_MS ? 0 : 1;
}

await withService({ TRUST_PROXY: '127.0.0.1,::1' }, compare, createPeople);
