import { timelineOf } from '../../../src/workbench/clocks/timeline.presenter.js';

const DAY = 86_400_000;
const NOW = Date.parse('2026-10-10T08:00:00Z');
const event = (label: string, start: number, end?: number) => ({
  label,
  start: NOW + start * DAY,
  ...(end !== undefined && { end: NOW + end * DAY }),
});

it('shows what is not over, the next change first, and suggests the next change', () => {
  const { lanes, more, next, now, ticks } = timelineOf(NOW, [
    event('over', -9, -1),
    event('later', 5, 8),
    event('runs', -2, 3),
    event('post', 2),
    event('posted', -1),
  ]);
  expect(lanes.map(({ label, isMoment }) => [label, isMoment])).toEqual([
    ['post', true],
    ['runs', false],
    ['later', false],
  ]);
  expect(more).toBe(2);
  expect(next).toEqual({ label: 'post', time: '2026-10-12T08:00' });
  // from two days before the clock to a day after the last end
  expect(now).toBe('18.182%');
  // in the middle of each fifth of these eleven days
  expect(ticks).toEqual([
    { x: '10%', text: '2026-10-09' },
    { x: '30%', text: '2026-10-11' },
    { x: '50%', text: '2026-10-13' },
    { x: '70%', text: '2026-10-16' },
    { x: '90%', text: '2026-10-18' },
  ]);
  expect(lanes[1]).toMatchObject({ x: '0%', width: '45.455%', times: '2026-10-08 08:00 to 2026-10-13 08:00' });
});

it('is bounded: 40 lanes, 30 days before the clock and 400 after it', () => {
  const events = Array.from({ length: 60 }, (_, i) => event(`flight ${i}`, -500, 900 + i));
  const { lanes, more, from, to, at } = timelineOf(NOW, events);
  expect([lanes.length, more, lanes[0].label]).toEqual([40, 20, 'flight 0']);
  expect([at - from, to - at]).toEqual([(30 * DAY) / 1000, (400 * DAY) / 1000]);
  expect(lanes[0]).toMatchObject({ x: '0%', width: '100%' });
});

it('shows flights without an end, and suggests no change after two years', () => {
  const open = { label: 'open', start: NOW - DAY, end: Infinity };
  const { lanes, next, more, to, at } = timelineOf(NOW, [open, event('late', -1, 731), event('over', -2, -1)]);
  expect(lanes.map(({ label }) => label)).toEqual(['late', 'open']);
  expect(lanes[1]).toMatchObject({ times: '2026-10-09 08:00 to open end', isMoment: false });
  expect([next, more, to - at]).toEqual([null, 1, (400 * DAY) / 1000]);
  expect(timelineOf(NOW, [open, event('soon', -1, 729)]).next).toMatchObject({ label: 'soon' });
});

it('has a place for the clock without any events', () => {
  expect(timelineOf(NOW, [])).toMatchObject({ lanes: [], more: 0, next: null, now: '11.111%' });
});
