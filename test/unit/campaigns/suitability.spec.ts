import fc from 'fast-check';
import { OBJECTIVES, type Objective } from '../../../src/campaigns/entities/line-item.tables.js';
import { CARD_TRAITS, unsuitability, type Shows } from '../../../src/campaigns/promoted-posts/suitability.rules.js';
import type { CardType } from '../../../src/creatives/entities/card.entity.js';

const PLAIN: Shows = { cardType: null, mediaTypes: [], links: 0 };
const fits = (objective: Objective, shows: Partial<Shows>) =>
  unsuitability(objective, { ...PLAIN, ...shows }) === undefined;
const cards = Object.keys(CARD_TRAITS) as CardType[];
const shows: fc.Arbitrary<Shows> = fc.record({
  cardType: fc.option(fc.constantFrom(...cards)),
  mediaTypes: fc.array(fc.constantFrom('GIF' as const, 'IMAGE' as const, 'VIDEO' as const), { maxLength: 4 }),
  links: fc.nat(3),
});

describe('which posts suit which objective', () => {
  it.each([
    ['APP_INSTALLS', { cardType: 'IMAGE_APP' }, true],
    ['APP_INSTALLS', { cardType: 'VIDEO_APP' }, true],
    ['APP_INSTALLS', { cardType: 'IMAGE_CAROUSEL_APP' }, true],
    ['APP_INSTALLS', { cardType: 'IMAGE_WEBSITE' }, false],
    ['APP_INSTALLS', { cardType: 'VIDEO_CONVERSATION' }, false],
    ['APP_INSTALLS', { links: 1 }, false],
    ['APP_ENGAGEMENTS', { cardType: 'VIDEO_CAROUSEL_APP' }, true],
    ['APP_ENGAGEMENTS', { mediaTypes: ['VIDEO'] }, false],
    ['REACH', {}, true],
    ['FOLLOWERS', {}, true],
    ['ENGAGEMENTS', {}, true],
    ['VIDEO_VIEWS', { cardType: 'VIDEO_CONVERSATION' }, true],
    ['VIDEO_VIEWS', { mediaTypes: ['VIDEO'] }, true],
    ['VIDEO_VIEWS', { mediaTypes: ['GIF'] }, true],
    ['VIDEO_VIEWS', { mediaTypes: ['IMAGE', 'IMAGE'] }, false],
    ['VIDEO_VIEWS', { cardType: 'IMAGE_WEBSITE', mediaTypes: ['VIDEO'] }, false],
    ['VIDEO_VIEWS', { links: 1 }, false],
    ['PREROLL_VIEWS', { mediaTypes: ['VIDEO'] }, true],
    ['PREROLL_VIEWS', {}, false],
    ['WEBSITE_CLICKS', { cardType: 'IMAGE_WEBSITE' }, true],
    ['WEBSITE_CLICKS', { cardType: 'VIDEO_CAROUSEL_WEBSITE' }, true],
    ['WEBSITE_CLICKS', { links: 1 }, true],
    ['WEBSITE_CLICKS', { links: 2 }, true],
    ['WEBSITE_CLICKS', { cardType: 'IMAGE_WEBSITE', links: 1 }, false],
    ['WEBSITE_CLICKS', { cardType: 'IMAGE_APP' }, false],
    ['WEBSITE_CLICKS', { cardType: 'IMAGE_CONVERSATION', links: 1 }, true],
    ['WEBSITE_CLICKS', {}, false],
  ] as [Objective, Partial<Shows>, boolean][])('%s with %j: %s', (objective, given, suits) => {
    expect(fits(objective, given)).toBe(suits);
  });

  it.each(cards)('knows by the name of %s where it leads and whether it moves', (type) => {
    const { leadsTo, hasVideo } = CARD_TRAITS[type];
    const isOfWebsite = type.endsWith('_WEBSITE') || type === 'DYNAMIC_PRODUCTS';
    expect(leadsTo).toBe(type.endsWith('_APP') ? 'APP' : isOfWebsite ? 'WEBSITE' : null);
    expect(hasVideo).toBe(/^(VIDEO|MIXED_MEDIA)_/.test(type));
  });

  it('says what is needed and what is there, and refuses nothing where anything will do', () => {
    fc.assert(
      fc.property(fc.constantFrom(...OBJECTIVES), shows, (objective, given) => {
        const why = unsuitability(objective, given);
        if (['REACH', 'FOLLOWERS', 'ENGAGEMENTS'].includes(objective)) expect(why).toBeUndefined();
        if (why) expect([why.needs, why.has].every((text) => text.length > 5)).toBe(true);
      }),
    );
  });

  it('counts links in words', () => {
    const has = (links: number) => unsuitability('VIDEO_VIEWS', { ...PLAIN, links })?.has;
    expect([has(0), has(1), has(2)]).toEqual(['it has only text', 'it has a link', 'it has 2 links']);
  });

  it('is of one mind about both app objectives, and never takes a card for both places', () => {
    fc.assert(
      fc.property(shows, (given) => {
        expect(fits('APP_INSTALLS', given)).toBe(fits('APP_ENGAGEMENTS', given));
        expect(fits('APP_INSTALLS', given) && fits('WEBSITE_CLICKS', { ...given, links: 0 })).toBe(false);
      }),
    );
  });
});
