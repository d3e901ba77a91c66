import { Parsed } from '../common/http/params/parsed.js';
import type { INestApplicationContext } from '@nestjs/common';
import type { ActingAccount } from '../accounts/access/acting-account.js';
import { LineItemCuratedCategoriesService } from '../campaigns/line-item-curated-categories/line-item-curated-categories.service.js';
import { MediaCreativesService } from '../campaigns/media-creatives/media-creatives.service.js';
import { PrerollCallToActionsService } from '../campaigns/preroll-call-to-actions/preroll-call-to-actions.service.js';
import { PromotedAccountsService } from '../campaigns/promoted-accounts/promoted-accounts.service.js';
import { PromotedPostsService } from '../campaigns/promoted-posts/promoted-posts.service.js';
import { ScheduledPromotedPostsService } from '../campaigns/scheduled-promoted-posts/scheduled-promoted-posts.service.js';

/** The creatives of the demo and the line items that show them. */
interface Made {
  line_item_id: string;
  preroll_line_item_id: string;
  spare_preroll_line_item_id: string;
  old_preroll_line_item_id: string;
  followers_line_item_id: string;
  curated_category_id: string;
  [other: string]: string;
}

/**
 * Creates the creatives of the demo's line items, so that its campaigns serve: one of each kind, and one to delete that
 * no other example uses.
 */
export async function makeShownThings(app: INestApplicationContext, account: ActingAccount, made: Made) {
  const { line_item_id, preroll_line_item_id, old_preroll_line_item_id, curated_category_id } = made;
  const posts = app.get(PromotedPostsService);
  const accounts = app.get(PromotedAccountsService);
  const media = app.get(MediaCreativesService);
  const scheduled = app.get(ScheduledPromotedPostsService);
  const calls = app.get(PrerollCallToActionsService);
  const curated = app.get(LineItemCuratedCategoriesService);
  const promoted = await posts.create(
    account,
    Parsed.whole({ line_item_id, post_ids: [made.post_id, made.spare_post_id] }),
  );
  const account_media_id = made.account_media_id;
  const url = { call_to_action: 'VISIT_SITE', call_to_action_url: 'https://coffee.example/' } as const;
  const followers = { line_item_id: made.followers_line_item_id };
  const [post, sparePost] = promoted.result.items;
  const { result: user } = await accounts.create(account, Parsed.whole({ ...followers, user_id: account.userId }));
  const { result: spareUser } = await accounts.create(
    account,
    Parsed.whole({ ...followers, user_id: made.friend_user_id }),
  );
  const { result: creative } = await media.create(
    account,
    Parsed.whole({ line_item_id: preroll_line_item_id, account_media_id }),
  );
  const old = { line_item_id: old_preroll_line_item_id };
  const { result: spareCreative } = await media.create(account, Parsed.whole({ ...old, account_media_id }));
  const { result: waiting } = await scheduled.create(
    account,
    Parsed.whole({ line_item_id, scheduled_post_id: made.scheduled_post_id }),
  );
  const { result: spareWaiting } = await scheduled.create(
    account,
    Parsed.whole({ line_item_id, scheduled_post_id: made.spare_scheduled_post_id }),
  );
  const { result: call } = await calls.create(account, Parsed.whole({ line_item_id: preroll_line_item_id, ...url }));
  const { result: spareCall } = await calls.create(account, Parsed.whole({ ...old, ...url }));
  const { result: chosen } = await curated.create(
    account,
    Parsed.whole({ line_item_id: preroll_line_item_id, curated_category_id }),
  );
  const { result: spareChosen } = await curated.create(account, Parsed.whole({ ...old, curated_category_id }));
  return {
    promoted_post_id: post.id,
    spare_promoted_post_id: sparePost.id,
    promoted_account_id: user.id,
    spare_promoted_account_id: spareUser.id,
    media_creative_id: creative.id,
    spare_media_creative_id: spareCreative.id,
    scheduled_promoted_post_id: waiting.id,
    spare_scheduled_promoted_post_id: spareWaiting.id,
    preroll_call_to_action_id: call.id,
    spare_preroll_call_to_action_id: spareCall.id,
    line_item_curated_category_id: chosen.id,
    spare_line_item_curated_category_id: spareChosen.id,
  };
}
