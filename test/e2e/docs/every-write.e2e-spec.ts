import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from '../../../src/operations/docs/operation.js';
import { hasChromium, inBrowser } from '../../support/browser.js';
import { Reference } from './reference.js';
import { Served } from './served.js';

/** Each ends the token that everything is signed with, so it is the last on a service of its own. */
const LAST = ['invalidateOAuth1', 'invalidateOAuth1Json'];
const ORDER = ['post', 'put', 'delete'];

let served: Served;
beforeAll(async () => void (served = await Served.start()), 180_000);
afterAll(() => Promise.all(Served.all.map((each) => each.stop())), 30_000);

inBrowser(`Swagger UI${hasChromium ? '' : ' (there is no Chromium)'}`, () => {
  const reference = new Reference();
  reference.perTest();
  const open = () => reference.open(`${served.url}/docs#key=${served.key()}`);

  it('executes every write as it stands', async () => {
    await open();
    const document = (await (await fetch(`${served.url}/docs/openapi.json`)).json()) as OpenAPIObject;
    const writes = operationsOf(document)
      .filter(({ method }) => method !== 'get')
      .sort((one, other) => ORDER.indexOf(one.method) - ORDER.indexOf(other.method))
      .map(({ operation: { operationId } }) => operationId!);
    expect(writes).toEqual(expect.arrayContaining(LAST));
    const answers = [];
    for (const id of [...writes.filter((each) => !LAST.includes(each)), ...LAST]) {
      if (id === LAST[1]) {
        const another = await Served.start();
        await reference.open(`${another.url}/docs#key=${another.key()}`);
      }
      const opened = await reference.operation(id);
      answers.push({ id, status: (await opened.execute()).status });
      if (['createCampaign', 'batchCampaigns'].includes(id)) {
        await opened.block.scrollIntoViewIfNeeded();
        await reference.shot(id);
        await opened.block.locator('.snippets').scrollIntoViewIfNeeded();
        await reference.shot(`${id}, carried out`);
      }
      await opened.close();
    }
    expect(answers.filter(({ status }) => !status?.startsWith('2'))).toEqual([]);
    expect(answers.length).toBe(writes.length);
  }, 600_000);
});
