import { Injectable } from '@nestjs/common';
import type { ActingAccount } from '../../accounts/access/acting-account.js';
import { Account } from '../../accounts/entities/account.entity.js';
import { User } from '../../auth/credentials/user.entity.js';
import { newRow } from '../../common/db/query/new-row.js';
import { allStillExist, exists } from '../../common/db/query/preconditions.js';
import { retrying } from '../../common/db/query/retry.js';
import { rows, type Row } from '../../common/db/query/rows.js';
import { insert, write } from '../../common/db/query/write.js';
import { accountNotFound } from '../../common/errors/catalogue.js';
import { Message } from '../../common/http/answers/results.js';
import { serviceTimeOf } from '../../common/time/frozen-time.js';
import { Config, withoutSlash } from '../../config/config.js';
import { DraftPost } from '../entities/draft-post.entity.js';
import { PreviewNotification } from '../entities/preview-notification.entity.js';
import { DraftPostsService } from './draft-posts.service.js';

/** Sends previews of drafts to the notifications of users. */
@Injectable()
export class DraftPreviewsService {
  constructor(
    private readonly drafts: DraftPostsService,
    private readonly config: Config,
  ) {}

  /** Adds the draft to the notifications of the caller. No other user sees it. */
  async send(account: ActingAccount, id: string): Promise<Message> {
    const user = await rows(account.db, User).where('id', account.userId).getOne();
    await retrying(async () => {
      const { accountId } = await this.drafts.get(account, id);
      const notification: Row<PreviewNotification> = {
        // notifications are kept for a time of the service, whatever the clock of the account says
        ...newRow(serviceTimeOf(account.now())),
        userId: account.userId,
        accountId,
        draftPostId: id,
        seen: false,
      };
      await write(
        account.db,
        [insert(PreviewNotification, [notification])],
        [exists(Account, account, () => accountNotFound(account.id)), ...allStillExist(DraftPost, [{ accountId, id }])],
      );
    });
    const page = `${withoutSlash(this.config.baseUrl)}/notifications`;
    return new Message(`See @${user?.username}'s notifications to preview your draft post: ${page}`);
  }
}
