import { createHash } from 'node:crypto';
import { MembershipsService } from '../../../src/accounts/access/memberships.service.js';
import { PromotableUsersService } from '../../../src/accounts/promotable-users/promotable-users.service.js';
import { CustomAudienceUsersService } from '../../../src/audiences/audience-users/custom-audience-users.service.js';
import { DirectoryImportService } from '../../../src/audiences/directory/directory-import.service.js';
import { AccessTokensService } from '../../../src/auth/credentials/access-tokens.service.js';
import { ApplicationsService } from '../../../src/auth/credentials/applications.service.js';
import { UsersService } from '../../../src/auth/credentials/users.service.js';
import { RequestTokensService } from '../../../src/auth/oauth1/request-tokens.service.js';
import { SessionsService } from '../../../src/auth/sessions/sessions.service.js';
import { SignInService } from '../../../src/auth/sessions/sign-in.service.js';
import { PublishersService } from '../../../src/campaigns/reference/publishers/publishers.service.js';
import { Parsed } from '../../../src/common/http/params/parsed.js';
import { DraftPostsService } from '../../../src/creatives/draft-posts/draft-posts.service.js';
import { postTermsOf } from '../../../src/creatives/post-terms/post-terms.rules.js';
import { PostsService } from '../../../src/creatives/posts/posts.service.js';
import { Api } from '../api.js';
import { world } from '../app.js';
import { sha256 } from '../people.js';
import { accounts } from './accounts.js';
import { audiences } from './audiences.js';
import { campaigns } from './campaigns.js';
import { creatives } from './creatives.js';
import { webhooks } from './webhooks.js';

let lives = 0;

/** A user who has left traces in every domain, what tells them, and somebody else who has to do with them. */
export async function life() {
  const tag = `${++lives}x${Date.now() % 100_000}`;
  const [handle, name, email, phone] = [
    `gone${tag}`,
    `Gisela Gone${tag}`,
    `g${tag}@example.com`,
    `+4930${lives}${Date.now() % 1_000_000}`,
  ];
  const user = await world().get(UsersService).create(handle, { name, password: 'a long password' });
  const { application, consumer } = await world()
    .get(ApplicationsService)
    .create({
      name: `Tool of ${handle}`,
      ownerId: user.id,
    });
  const token = await world().get(AccessTokensService).issue(user.id, application.id, 'write');
  const other = await accounts.advertiser();
  const account = await accounts.account({ userId: user.id, name: `${name}'s shop` });
  await world().get(MembershipsService).grant(account.id, other.user.id, 'ACCOUNT_ADMIN');
  await world().get(PromotableUsersService).add(other.account.id, user.id, 'RETWEETS_ONLY');
  await webhooks.webhook({ id: application.id }, `https://example.com/${lives}`, account.id);

  const [own, secret] = [`I am of my own opinion ${tag}`, `Nobody reads this ${tag}`];
  const image = await creatives.libraryMedia(account, { name: `Portrait of ${name}` });
  const unused = await creatives.libraryMedia(account);
  await world().sql(`UPDATE media SET "expiresAt" = '2100-01-01' WHERE id = $1`, unused.mediaId);
  await world().sql(`UPDATE media SET "altText" = $2 WHERE id = $1`, image.mediaId, `${name} at work`);
  await world().sql(`INSERT INTO media_subtitles VALUES ($1, 'EN', '1', $2)`, image.mediaId, `Spoken by ${name}`);
  const posted = await creatives.post({ account, text: own, media_keys: [image.mediaKey] });
  await world()
    .get(PostsService)
    .rename(account, posted.id, { name: `First of ${tag}` });
  const organic = await creatives.platformPost(user.id, { text: `${own}, organically` });
  const draft = await creatives.draftPost({ account, text: secret });
  await world()
    .get(DraftPostsService)
    .update(account, draft.id, Parsed.complete({ text: `${secret}, changed` }));
  await creatives.scheduledPost({ account, text: `${secret}, and soon` });

  const mention = `${other.user.username} and @${handle.toUpperCase()}: #hello https://example.com/a, @${other.user.username}`;
  const mentioning = await creatives.platformPost(other.user.id, { text: mention });
  const inAccount = await creatives.post({ account: other.account, text: `Thanks @${handle}!` });
  const othersDraft = await creatives.draftPost({ account: other.account, text: `Ask @${handle}` });
  const promoted = await campaigns.promotedPost({ account: other.account, postId: organic.id });
  await world().sql(
    `INSERT INTO preview_notifications (id, "createdAt", "updatedAt", "userId", "accountId", "draftPostId", seen) VALUES ($1, now(), now(), $2, $3, $4, false)`,
    `n${tag}`,
    user.id,
    account.id,
    draft.id,
  );

  const directory = world().get(DirectoryImportService);
  const store = (entry: object) => directory.store([directory.read(entry)]);
  const device = `38400000-8cf0-11bd-b23e-${String(Date.now()).slice(-12)}`;
  await store({ username: handle, email, phone_number: phone, device_id: device, interests: ['11005'], country: 'DE' });
  await store({ username: `fan${tag}`, follows: [handle, 'somebody'] });
  const audience = await audiences.customAudience({ account: other.account });
  const users = [
    { email: [sha256(email)], partner_user_id: [`customer of ${tag}`] },
    { handle: [sha256(handle)] },
    { platform_id: [sha256(user.id)] },
    { email: [sha256(`somebody else ${tag}`)] },
  ];
  const upload = [{ operation_type: 'Update', params: { users } }];
  await world().get(CustomAudienceUsersService).upload(other.account, audience.id, upload);
  const criterion = await campaigns.targetingCriterion({
    account: other.account,
    targeting_type: 'SIMILAR_TO_FOLLOWERS_OF_USER',
    targeting_value: user.id,
  });
  await world()
    .get(PublishersService)
    .create([{ user_id: user.id }]);

  await world().get(SessionsService).start(user.id);
  await world().get(SignInService).signIn(handle, 'wrong', '192.0.2.1');
  await world().get(RequestTokensService).issue(application.id, null, 'write');
  await world().sql(`UPDATE request_tokens SET "userId" = $1 WHERE "applicationId" = $2`, user.id, application.id);

  /** What a dump must not have, in lower case. */
  const traces = {
    ...{ handle, name, own, secret, name_of_post: `first of ${tag}` },
    ...{ email_hash: sha256(email), phone_hash: sha256(phone), device_hash: sha256(device) },
    ...{ handle_hash: sha256(handle), id_hash: sha256(user.id), partner_hash: sha256(`customer of ${tag}`) },
    mention_term: postTermsOf(`@${handle}`, mentioning.createdAt)[0],
    sign_in: createHash('sha256').update(`account ${handle}`).digest('base64url'),
  };
  return {
    ...{ user, account, application, other, audience, criterion, posted, organic, mentioning, mention, inAccount },
    ...{ othersDraft, promoted, unused, image, traces, fan: `fan${tag}` },
    api: new Api({ consumer, token }),
  };
}

export type Life = Awaited<ReturnType<typeof life>>;
