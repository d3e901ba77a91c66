import { runCommandRequest } from '../../../src/cli/admin-socket.js';
import type { CommandResult } from '../../../src/cli/admin-protocol.js';
import { useSharedApp, world } from '../../support/app.js';
import { given, type Advertiser } from '../../support/given.js';

describe('marquee stats', () => {
  useSharedApp();

  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  /** Midnight in Los Angeles. */
  const START = Date.parse('2027-02-01T08:00:00Z');

  let advertiser: Advertiser;
  let items: Awaited<ReturnType<typeof given.lineItem>>[];

  beforeEach(async () => {
    world().clock.set(new Date(START + 6 * DAY + 15 * HOUR + 1));
    advertiser = await given.advertiser();
    const { account } = advertiser;
    items = [];
    for (const objective of ['ENGAGEMENTS', 'WEBSITE_CLICKS', 'ENGAGEMENTS'] as const)
      items.push(await given.lineItem({ account, objective, name: `=2+3, "${objective}"` }));
    const [cheap, dear, idle] = items;
    await given.facts(
      cheap,
      { hour: iso(START), impressions: 4_000, engagements: 40, clicks: 30, billedChargeLocalMicro: 5_000_000 },
      { hour: iso(START + 3 * DAY), impressions: 1_000, engagements: 10, clicks: 5, placement: 'PUBLISHER_NETWORK' },
    );
    await given.facts(dear, {
      hour: iso(START + 5 * HOUR),
      ...{ impressions: 1_000, engagements: 30, clicks: 20, billedChargeLocalMicro: 1_234_560_000 },
    });
    await given.facts(idle, { hour: iso(START - DAY), impressions: 9 });
  });

  const marquee = (argv: readonly string[], terminal: object = {}): Promise<CommandResult> =>
    runCommandRequest(world().app, JSON.stringify({ argv: ['stats', advertiser.account.id, ...argv], ...terminal }));
  const printed = async (...args: Parameters<typeof marquee>): Promise<string[]> => {
    const { stdout, stderr, exitCode } = await marquee(...args);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    return stdout.split('\n').slice(0, -1);
  };
  /** The cells of a line of a table. */
  const cells = (line: string) => line.split(/ {2,}/);

  it('shows those that spent most, each with a trend, over all placements', async () => {
    const [cheap, dear] = items;
    const lines = await printed(['--entity', 'line_item'], { unicode: true, width: 200 });
    expect(lines.slice(0, 3).map(cells)).toEqual([
      ['ID', 'NAME', 'IMPRESSIONS', 'ENGAGEMENTS', 'CLICKS', 'SPEND', 'CPM', 'RATE', 'TREND'],
      [dear.id, dear.name, '1,000', '30', '20', '1,234.56 USD', '1,234.56', '2.00 %', '█▁▁▁▁▁▁'],
      [cheap.id, cheap.name, '5,000', '50', '35', '5.00 USD', '1.00', '1.00 %', '█▁▁▃▁▁▁'],
    ]);
    expect(lines.slice(3)).toEqual(['', '2027-02-01 to 2027-02-07 in America/Los_Angeles.']);
    const top = await printed(['--top', '1', '--placement', 'PUBLISHER_NETWORK']);
    expect(top.slice(1).map(cells)).toEqual([
      [cheap.campaignId, expect.any(String), '1,000', '10', '5', '0.00 USD', '0.00', '1.00 %', '___#___'],
      [''],
      ['2027-02-01 to 2027-02-07 in America/Los_Angeles, PUBLISHER_NETWORK. 1 more spent less: --top 2 shows them.'],
    ]);
    expect(await printed(['--start', '2027-01-01', '--end', '2027-01-31'])).toEqual([
      'Nothing was counted from 2027-01-01 to 2027-01-30 in America/Los_Angeles.',
    ]);
  });

  it('shows each day of a single entity, and the impressions of an account', async () => {
    const [cheap] = items;
    const lines = await printed(['--entity', 'LINE_ITEM', '--ids', cheap.id, '--start', '2027-02-01', '--days', '4']);
    expect(lines.map(cells)).toEqual([
      ['TIME', 'IMPRESSIONS', 'ENGAGEMENTS', 'CLICKS', 'SPEND', 'CPM', 'RATE', 'TREND'],
      ['2027-02-01', '4,000', '40', '30', '5.00 USD', '1.25', '1.00 %', '###############'],
      ['2027-02-02', '0', '0', '0', '0.00 USD', '-', '-', '-'],
      ['2027-02-03', '0', '0', '0', '0.00 USD', '-', '-', '-'],
      ['2027-02-04', '1,000', '10', '5', '0.00 USD', '0.00', '1.00 %', '####'],
      ['total', '5,000', '50', '35', '5.00 USD', '1.00', '1.00 %', '-'],
      [''],
      [`${cheap.name} (${cheap.id}): 2027-02-01 to 2027-02-04 in America/Los_Angeles.`],
    ]);
    const account = await printed(['--entity', 'ACCOUNT', '--granularity', 'HOUR', '--days', '1']);
    expect(account.slice(1, 3).map(cells)).toEqual([
      ['2027-02-07', '0', '0', '-', '-', '-', '-', '-'],
      ['2027-02-07 01:00', '0', '0', '-', '-', '-', '-', '-'],
    ]);
    expect(account).toHaveLength(1 + 16 + 1 + 2);
  });

  it('exports every metric of each entity and unit as CSV and JSON', async () => {
    const [cheap] = items;
    const asked = [
      '--entity',
      'LINE_ITEM',
      '--ids',
      `${cheap.id},${items[2].id}`,
      '--days',
      '7',
      '--granularity',
      'TOTAL',
    ];
    const { stdout } = await marquee([...asked, '--csv', '--metric-groups', 'BILLING,ENGAGEMENT,MOBILE_CONVERSION']);
    const lines = stdout.split('\r\n');
    expect(lines).toHaveLength(1 + 2 + 1);
    const header = lines[0].split(',');
    expect(header.slice(0, 8)).toEqual(
      ['id', 'name', 'currency', 'time', 'billed_engagements', 'billed_charge_local_micro', 'engagements', 'impressions'], // prettier-ignore
    );
    expect(header).toContain('mobile_conversion_installs.post_view');
    expect(lines[1]).toMatch(`${cheap.id},"'=2+3, ""ENGAGEMENTS""",USD,2027-02-01T08:00:00Z,0,5000000,50,5000,`);
    expect(lines[2]).toMatch(/,0,0,0,0,(0,)+,/);

    const counted = (await marquee([...asked, '--csv'])).stdout.split('\r\n')[0].split(',');
    expect(counted).toEqual(expect.arrayContaining(['video_total_views', 'conversion_purchases.metric']));
    expect(counted).not.toContain('unfollows');

    const json = JSON.parse((await marquee([...asked, '--json'])).stdout);
    expect(json).toMatchObject({
      account_id: advertiser.account.id,
      entity: 'LINE_ITEM',
      granularity: 'TOTAL',
      start_time: iso(START),
      end_time: iso(START + 6 * DAY + 16 * HOUR),
      time_series_length: 1,
      data: [
        { id: cheap.id, currency: 'USD', id_data: [{ segment: null, metrics: { impressions: [5_000], likes: null } }] },
        { id: items[2].id, id_data: [{ metrics: { impressions: null, video_total_views: null } }] },
      ],
    });
    const hours = await marquee(['--entity', 'ACCOUNT', '--granularity', 'HOUR', '--start', '2027-02-01', '--csv']);
    expect(hours.stdout.split('\r\n').slice(1, 3)).toEqual([
      expect.stringContaining(',2027-02-01T08:00:00Z,'),
      expect.stringContaining(',2027-02-01T09:00:00Z,'),
    ]);
  });

  it('divides the figures into segments, whose rows add up', async () => {
    const [cheap] = items;
    const asked = ['--entity', 'LINE_ITEM', '--ids', cheap.id, '--segmentation', 'GENDER'];
    const lines = await printed(asked);
    expect(cells(lines[0])[2]).toBe('SEGMENT');
    const rows = lines.slice(1, lines.indexOf('')).map(cells);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.reduce((sum, row) => sum + Number(row[3].replaceAll(',', '')), 0)).toBe(5_000);
    const { stdout } = await marquee([...asked, '--csv', '--granularity', 'TOTAL']);
    expect(stdout).toMatch(/^id,name,currency,segment_name,segment_value,time,/);
    expect(stdout.split('\r\n')).toHaveLength(1 + rows.length + 1);
  });

  it('follows the test clock of an account', async () => {
    await world().sql(
      'UPDATE accounts SET "frozenTime" = $2 WHERE id = $1',
      advertiser.account.id,
      iso(START + 40 * DAY),
    );
    expect((await printed([])).at(-1)).toContain('from 2027-03-07 to 2027-03-13 in');
  });

  it('rejects what contradicts itself, does not exist or is too long', async () => {
    for (const [argv, exitCode, message] of [
    [['--ids', 'nothing'], 1, 'Campaign nothing was not found'],
    [['--days', '91'], 2, 'whole number from 1 to 90'],
    [['--start', 'yesterday'], 2, 'must be a date or a time'],
    [['--start', '2027-01-01', '--end', '2027-04-02'], 1, 'the range is longer than 90 days'],
    [['--start', '2027-02-09'], 1, 'is not after its start'],
    [['--start', '2026-07-01T07:00:00Z', '--end', '2026-07-01T08:00:00Z'], 1, 'is not after its start'],
    [['--start', '2027-02-01T00:00:00Z'], 1, '--start must be a date, or midnight in America/Los_Angeles'],
    [['--end', '2027-02-01T00:30:00Z', '--granularity', 'HOUR'], 1, 'must be whole hours'],
    [['--start', '2027-02-01', '--end', '2027-02-02', '--days', '1'], 2, 'give --days with either'],
    [['--csv', '--json'], 2, 'either --csv or --json'],
    [['--entity', 'ACCOUNT', '--metric-groups', 'BILLING', '--csv'], 1, 'ACCOUNT has no metrics of BILLING; its groups are ENGAGEMENT'],
    [['--segmentation', 'CITIES'], 2, '--segmentation CITIES requires --country'],
    [['--segmentation', 'CITIES', '--country', 'atlantis'], 1, 'got "atlantis"'],
    [['--segmentation', 'CONVERSION_TAGS', '--json', '--metric-groups', 'VIDEO'], 1, 'got "VIDEO" for metric_groups'],
    [['--country', 'x'], 2, 'require --segmentation'],
  ] as const) {
      const ended = await marquee(argv);
      expect(ended).toMatchObject({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
      expect(ended.stderr).toMatch(/^error: [^\n]+\n/);
    }
  }); // prettier-ignore
});
