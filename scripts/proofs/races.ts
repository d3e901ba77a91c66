import pg from 'pg';
import { account, campaign, fundingInstrument } from './races/deletes.js';
import { exchange } from './races/exchange.js';
import {
  campaignOfItems,
  doubleDeletes,
  keptOfItems,
  lastActive,
  lastOfCampaign,
  lineItem,
  sameAccount,
} from './races/line-items.js';
import { allWays, lastPlaces } from './races/limits.js';
import { sameName } from './races/names.js';
import { sameNonce } from './races/nonces.js';
import { Arena, type Race, Wrong } from './races/race.js';
import { batches, oneCampaign } from './races/updates.js';
import { attempted } from './support/attempted.js';
import { startCluster } from './support/cluster.js';
import { settings } from './support/settings.js';
import { withStage } from './support/stage.js';
import { atMost, type Figure } from './support/table.js';

const RACES = [
  sameName,
  lastPlaces,
  allWays,
  batches,
  oneCampaign,
  sameNonce,
  exchange,
  account,
  fundingInstrument,
  campaign,
  lastOfCampaign,
  lastActive,
  sameAccount,
  doubleDeletes,
  lineItem,
  campaignOfItems,
  keptOfItems,
];

/** Requests that meet on two replicas end as if one had come after the other. */
export function prove(): Promise<Figure[]> {
  return withStage(async (stage) => {
    const cluster = await startCluster(stage, { postgres: ['track_commit_timestamp=on'] });
    const client = new pg.Client({ connectionString: cluster.world.databaseUrl });
    await client.connect();
    stage.atEnd(() => client.end());
    const arena = new Arena(cluster, (text, values) => client.query(text, values));
    const figures: Figure[] = [];
    const races = RACES.filter(({ name }) => name.includes(settings.only));
    for (const race of races) figures.push(...(await attempted(async () => [await run(race, arena)])));
    const crashes = cluster.replicas[0].crashes + cluster.replicas[1].crashes;
    return [...figures, atMost('replicas that ended by themselves', crashes, 0)];
  });
}

async function run(race: Race, arena: Arena): Promise<Figure> {
  const times = settings.quick ? 5 : 50;
  console.log(`  ${race.name} ...`);
  const once = await race.prepare(arena);
  let wrong = 0;
  for (let time = 0; time < times; time++) {
    try {
      await once(time);
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      if (++wrong <= 3) console.log(`    ${error.message}`);
    }
  }
  return atMost(`${race.name}: wrong of ${times}`, wrong, 0);
}
