import { mapFields, withoutMention, withoutPerson } from '../../../src/common/entity/removed-person.js';

const ann = { id: '17', username: 'ann_lee', name: 'Ann Lee (she)' };

describe('names of a removed person', () => {
  it.each([
    ['Shop of ann_lee', 'Shop of deleted_17'],
    ["@Ann_Lee's, ANN LEE (SHE)", "@deleted_17's, deleted_17"],
    ['ann_lee_shop', 'deleted_17_shop'],
    ['joann_lee', 'joann_lee'],
    ['ann_lee2', 'ann_lee2'],
    ['Ann', 'Ann'],
  ])('are replaced where they are words of their own: %s', (text, expected) =>
    expect(withoutPerson(text, ann)).toBe(expected),
  );

  it('are none where the person has no name any more', () =>
    expect(withoutPerson('of nobody', { id: '17', username: '', name: '' })).toBe('of nobody'));

  it.each([
    ['Hello @ANN_LEE!', 'Hello @deleted_17!'],
    ['＠ann_lee', '＠deleted_17'],
    ['@ann_lee_2, ann_lee', '@ann_lee_2, ann_lee'],
  ])('are replaced in mentions: %s', (text, expected) => expect(withoutMention(text, ann)).toBe(expected));
});

describe('texts of a JSON value', () => {
  it('are changed below the named fields, and nowhere else', () => {
    const value = { name: 'a', id: 'a', count: 1, none: null, changes: { name: { old: 'a', new: ['a'] }, kind: 'a' } };
    expect(mapFields(value, ['name'], () => 'b')).toEqual({
      ...{ name: 'b', id: 'a', count: 1, none: null },
      changes: { name: { old: 'b', new: ['b'] }, kind: 'a' },
    });
  });
});
