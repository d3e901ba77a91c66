import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { WebhookClient } from './client/webhook-client.js';
import { DeliveryFaults } from './deliveries/delivery-faults.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryWorker } from './deliveries/delivery-worker.js';
import { WebhookRetentionJob } from './deliveries/retention.job.js';
import { WebhooksRemoval } from './deliveries/webhooks-removal.service.js';
import { Challenges } from './endpoints/challenge.js';
import { WebhookAdministration } from './endpoints/webhook-administration.service.js';
import { WebhookChecksJob } from './endpoints/webhook-checks.job.js';
import { WebhooksController } from './endpoints/webhooks.controller.js';
import { WebhookChecksService } from './endpoints/webhook-checks.service.js';
import { WebhooksService } from './endpoints/webhooks.service.js';
import { FollowingController } from './following/following.controller.js';
import { FollowingService } from './following/following.service.js';
import { TrialEventsService } from './deliveries/trial-events.service.js';
import { ReplaysController } from './replay/replays.controller.js';
import { ReplaysJob } from './replay/replays.job.js';
import { ReplaysService } from './replay/replays.service.js';
import { WebhookSubscriptionsController } from './subscriptions/subscriptions.controller.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';

@Module({
  imports: [AuthModule, AccountsModule],
  controllers: [
    FollowingController,
    ReplaysController,
    WebhooksController,
    WebhookSubscriptionsController,
    DeliveriesController,
  ],
  providers: [
    FollowingService,
    TrialEventsService,
    ReplaysJob,
    ReplaysService,
    Challenges,
    DeliveriesService,
    DeliveryFaults,
    DeliveryWorker,
    SubscriptionsService,
    WebhookAdministration,
    WebhookChecksJob,
    WebhookChecksService,
    WebhookClient,
    WebhookRetentionJob,
    WebhooksRemoval,
    WebhooksService,
  ],
  exports: [
    DeliveriesService,
    DeliveryFaults,
    ReplaysService,
    SubscriptionsService,
    TrialEventsService,
    WebhookAdministration,
    WebhooksService,
  ],
})
export class WebhooksModule {}
