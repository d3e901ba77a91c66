import { firstDifference } from '../../../src/workbench/journal/base-strings.js';

const OURS = 'GET&http%3A%2F%2Flocalhost%2F12%2Faccounts&count%3D7%26q%3D***%26oauth_token%3D***%26z%3D1';

describe('the first difference of base strings', () => {
  it('is none where only masked values differ', () => {
    expect(firstDifference(OURS, OURS.replace('***', 'secret').replace('***', 'other'))).toBeUndefined();
    expect(firstDifference(OURS, OURS)).toBeUndefined();
    expect(firstDifference('GET&a&b%3D1%26...', 'GET&a&b%3D1%26c%3D2')).toBeUndefined();
    expect(firstDifference('GET&a&b%3D1%26...', 'GET&a&b%3D2%26c%3D2')).toMatchObject({ ours: '1%26...' });
  });

  it('names the place and both texts', () => {
    const yours = OURS.replace('***', 'secret').replace('***', 'other');
    expect(firstDifference(OURS, yours.replace('count%3D7', 'count%3D8'))).toEqual({
      at: 'GET&http%3A%2F%2Flocalhost%2F12%2Faccounts&count%3D'.length,
      before: 'p%3A%2F%2Flocalhost%2F12%2Faccounts&count%3D'.slice(-40),
      ours: '7%26q%3D***%26oauth_token%3D***%26z%3D1',
      yours: '8%26q%3Dsecret%26oauth_token%3Dother%26z%3D1'.slice(0, 40),
    });
    expect(firstDifference(OURS, yours.replace('z%3D1', 'z%3D2'))).toMatchObject({ ours: '1', yours: '2' });
    expect(firstDifference(OURS, yours.slice(0, -1))).toMatchObject({ ours: '1', yours: '' });
    expect(firstDifference(OURS, `${yours}1`)).toMatchObject({ ours: '', yours: '1' });
    expect(firstDifference(OURS, yours.replace('GET', 'get'))).toMatchObject({ at: 0, before: '' });
  });
});
