import { BASE_36_LAYOUT, firstIdOf, IdSequence, timeOfId } from '../../../src/common/entity/ids.js';
import {
  byTime,
  coveredMs,
  endOfPeriod,
  missingPartitions,
  startOfPeriod,
} from '../../../src/common/partitions/periods.js';

const at = (text: string) => new Date(`${text}Z`);

it('periods are days, months, quarters and years, in UTC', () => {
  const late = at('2028-12-31T23:59:59.999');
  const bounds = (['day', 'month', 'quarter', 'year'] as const).map((width) =>
    [startOfPeriod(late, width), endOfPeriod(late, width)].map((time) => time.toISOString().slice(0, 10)),
  );
  expect(bounds).toEqual([
    ['2028-12-31', '2029-01-01'],
    ['2028-12-01', '2029-01-01'],
    ['2028-10-01', '2029-01-01'],
    ['2028-01-01', '2029-01-01'],
  ]);
  for (const width of ['day', 'month', 'quarter', 'year'] as const) {
    const start = startOfPeriod(late, width);
    expect(startOfPeriod(start, width)).toEqual(start);
    expect(startOfPeriod(new Date(start.getTime() - 1), width).getTime()).toBeLessThan(start.getTime());
    expect(endOfPeriod(start, width)).toEqual(endOfPeriod(late, width));
  }
});

it('an id tells its time', () => {
  for (const time of ['2020-01-01T00:00:00', '2026-11-23T21:40:00.123', '2099-12-31T23:59:59.999']) {
    expect(timeOfId(firstIdOf(at(time)))).toEqual(at(time));
    expect(timeOfId(new IdSequence(BASE_36_LAYOUT).next(at(time)))).toEqual(at(time));
  }
});

it('a partition has the ids of its period and no others', () => {
  const [{ from, to, suffix }] = missingPartitions([], at('2026-12-31T12:00:00'), { width: 'quarter', ahead: 0 });
  expect(suffix).toBe('20261001');
  expect([from, to]).toEqual([firstIdOf(at('2026-10-01T00:00:00')), firstIdOf(at('2027-01-01T00:00:00'))]);
  const idAt = (text: string) => new IdSequence(BASE_36_LAYOUT).next(at(text));
  const [before, first, last, after] = [
    '2026-09-30T23:59:59.999',
    '2026-10-01T00:00:00',
    '2026-12-31T23:59:59.999',
    '2027-01-01T00:00:00',
  ]
    .map(idAt)
    .map((id) => id >= from && id < to);
  expect([before, first, last, after]).toEqual([false, true, true, false]);
});

it('bounds of times are read in whatever zone a session shows them', () => {
  const { read, boundOf, timeOf } = byTime('hour');
  const time = at('2027-01-01T00:00:00');
  for (const shown of ['2027-01-01 00:00:00+00', '2026-12-31 18:30:00-05:30', '2027-01-01 05:45:00+05:45'])
    expect(timeOf(read(shown))).toEqual(time);
  const { key, ...monthly } = { width: 'month', ahead: 1, key: byTime('hour') } as const;
  const before = [{ from: key.first, to: boundOf(time) }];
  expect(missingPartitions(before, at('2026-12-15T00:00:00'), { ...monthly, key })).toEqual([
    { from: boundOf(time), to: '2027-02-01T00:00:00.000Z', suffix: '20270101' },
  ]);
  expect(missingPartitions(before, at('2026-11-15T00:00:00'), { ...monthly, key })).toEqual([]);
});

describe('what is missing', () => {
  const daily = { width: 'day', ahead: 2 } as const;
  const day = (n: number) => firstIdOf(new Date(Date.UTC(2027, 0, n)));
  const now = at('2027-01-10T15:00:00');
  const suffixes = (existing: { from: string; to: string }[]) =>
    missingPartitions(existing, now, daily).map(({ suffix }) => suffix);

  it('is the current period and those ahead', () => {
    expect(suffixes([])).toEqual(['20270110', '20270111', '20270112']);
    expect(suffixes([{ from: '', to: day(11) }])).toEqual(['20270111', '20270112']);
    expect(suffixes([{ from: day(11), to: day(12) }])).toEqual(['20270110', '20270112']);
    expect(suffixes([{ from: '', to: '~' }])).toEqual([]);
  });

  it('is the rest of a period of which other partitions cover a part', () => {
    const [noon, night] = [at('2027-01-11T12:00:00'), at('2027-01-11T20:00:00')].map((time) => firstIdOf(time));
    expect(
      missingPartitions(
        [
          { from: '', to: noon },
          { from: night, to: day(12) },
        ],
        now,
        daily,
      ),
    ).toEqual([
      { from: noon, to: night, suffix: '20270111' },
      { from: day(12), to: day(13), suffix: '20270112' },
    ]);
    const quarters = [{ from: '', to: firstIdOf(at('2027-04-01T00:00:00')) }];
    expect(missingPartitions(quarters, now, { width: 'year', ahead: 1 }).map(({ suffix }) => suffix)).toEqual([
      '20270401',
      '20280101',
    ]);
  });

  it('is not what a wrong clock has left far ahead', () => {
    expect(suffixes([{ from: day(300), to: day(301) }])).toEqual(['20270110', '20270111', '20270112']);
  });

  it('tells until when there are partitions', () => {
    const hours = (existing: { from: string; to: string }[]) => coveredMs(existing, now, daily) / 3_600_000;
    expect(hours([])).toBe(0);
    expect(hours([{ from: '', to: day(11) }])).toBe(9);
    expect(
      hours([
        { from: '', to: day(11) },
        { from: day(12), to: day(13) },
      ]),
    ).toBe(9);
    expect(
      hours([
        { from: '', to: day(11) },
        { from: day(11), to: day(12) },
      ]),
    ).toBe(33);
  });
});
