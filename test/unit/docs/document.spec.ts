import { docCommentsOf } from '../../../src/common/http/doc-comments.js';
import { operationIdOf } from '../../../src/operations/docs/operation-id.js';

class Commented {
  /** One line. */
  async one(...given: unknown[]) {
    return Promise.resolve(given);
  }

  /**
   * Two
   * lines (Part 1, 2).
   */
  two() {}

  none() {}
}

describe('doc comments', () => {
  it('are read off the class as it runs', () => {
    expect([...docCommentsOf(Commented)]).toEqual([
      ['one', 'One line.'],
      ['two', 'Two lines (Part 1, 2).'],
    ]);
  });
});

describe('operation ids', () => {
  it.each([
    ['CampaignsController', 'list', 'listCampaigns'],
    ['CampaignsController', 'get', 'getCampaign'],
    ['CampaignBatchController', 'run', 'batchCampaigns'],
    ['TargetingCriteriaBatchController', 'run', 'batchTargetingCriteria'],
    ['CuratedCategoriesController', 'get', 'getCuratedCategory'],
    ['AuthenticatedUserAccessController', 'get', 'getAuthenticatedUserAccess'],
    ['AccountMediaController', 'delete', 'deleteAccountMedia'],
    ['AccountSelfController', 'update', 'updateAccount'],
    ['SandboxFeaturesController', 'add', 'addFeatures'],
    ['OAuthController', 'requestToken', 'requestToken'],
    ['OAuth1Controller', 'invalidate[0]', 'invalidateOAuth1'],
  ])('%s %s: %s', (controller, handler, id) => {
    expect(operationIdOf(controller, handler)).toBe(id);
  });
});
