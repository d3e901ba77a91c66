import fc from 'fast-check';
import { longTime } from '../../../src/creatives/posts/author.presenter.js';

describe('the long form of a time', () => {
  it.each([
    ['2019-08-27 22:22:12.000+00', 'Tue Aug 27 22:22:12 +0000 2019'],
    ['2024-02-29T23:59:59.999Z', 'Thu Feb 29 23:59:59 +0000 2024'],
  ])('of %s', (stored, told) => expect(longTime(stored)).toBe(told));

  it('names the day and the month that the moment has', () => {
    const moments = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, (moment) => {
        const [weekday, day, month, year, time] = moment.toUTCString().replace(',', '').split(' ');
        expect(longTime(moment.toISOString())).toBe(`${weekday} ${month} ${day} ${time} +0000 ${year}`);
      }),
    );
  });
});
