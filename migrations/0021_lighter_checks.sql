-- outside a transaction
-- A pattern that counts, ~ '^0x[0-9a-f]{64}$', takes seven times as long as a plain one with the
-- length beside it, for every value of every row that is written. The same is checked on the tables
-- that are written most: each new check stands before the old one goes.

alter table countersign.expense_revisions
  drop constraint if exists expense_revisions_recipient_address_form,
  add constraint expense_revisions_recipient_address_form
    check (recipient_address ~ '^0x[0-9a-f]+$' and length(recipient_address) = 42) not valid;
alter table countersign.expense_revisions
  validate constraint expense_revisions_recipient_address_form;
alter table countersign.expense_revisions
  drop constraint if exists expense_revisions_recipient_address_check;

alter table countersign.expense_revisions
  drop constraint if exists expense_revisions_version_hash_form,
  add constraint expense_revisions_version_hash_form
    check (version_hash ~ '^0x[0-9a-f]+$' and length(version_hash) = 66) not valid;
alter table countersign.expense_revisions
  validate constraint expense_revisions_version_hash_form;
alter table countersign.expense_revisions
  drop constraint if exists expense_revisions_version_hash_check;

alter table countersign.approvals
  drop constraint if exists approvals_approver_address_form,
  add constraint approvals_approver_address_form
    check (approver_address ~ '^0x[0-9a-f]+$' and length(approver_address) = 42) not valid;
alter table countersign.approvals
  validate constraint approvals_approver_address_form;
alter table countersign.approvals
  drop constraint if exists approvals_approver_address_check;

alter table countersign.approvals
  drop constraint if exists approvals_digest_form,
  add constraint approvals_digest_form
    check (digest ~ '^0x[0-9a-f]+$' and length(digest) = 66) not valid;
alter table countersign.approvals
  validate constraint approvals_digest_form;
alter table countersign.approvals
  drop constraint if exists approvals_digest_check;

alter table countersign.payments
  drop constraint if exists payments_chain_payment_id_form,
  add constraint payments_chain_payment_id_form
    check (chain_payment_id ~ '^0x[0-9a-f]+$' and length(chain_payment_id) = 66) not valid;
alter table countersign.payments
  validate constraint payments_chain_payment_id_form;
alter table countersign.payments
  drop constraint if exists payments_chain_payment_id_check;

alter table countersign.payments
  drop constraint if exists payments_recipient_address_form,
  add constraint payments_recipient_address_form
    check (recipient_address ~ '^0x[0-9a-f]+$' and length(recipient_address) = 42) not valid;
alter table countersign.payments
  validate constraint payments_recipient_address_form;
alter table countersign.payments
  drop constraint if exists payments_recipient_address_check;

alter table countersign.payments
  drop constraint if exists payments_token_address_form,
  add constraint payments_token_address_form
    check (token_address ~ '^0x[0-9a-f]+$' and length(token_address) = 42) not valid;
alter table countersign.payments
  validate constraint payments_token_address_form;
alter table countersign.payments
  drop constraint if exists payments_token_address_check;

alter table countersign.payment_attempts
  drop constraint if exists payment_attempts_transaction_hash_form,
  add constraint payment_attempts_transaction_hash_form
    check (transaction_hash ~ '^0x[0-9a-f]+$' and length(transaction_hash) = 66) not valid;
alter table countersign.payment_attempts
  validate constraint payment_attempts_transaction_hash_form;
alter table countersign.payment_attempts
  drop constraint if exists payment_attempts_transaction_hash_check;

alter table countersign.reports
  drop constraint if exists reports_report_hash_form,
  add constraint reports_report_hash_form
    check (report_hash ~ '^0x[0-9a-f]+$' and length(report_hash) = 66) not valid;
alter table countersign.reports
  validate constraint reports_report_hash_form;
alter table countersign.reports
  drop constraint if exists reports_report_hash_check;

alter table countersign.vaults
  drop constraint if exists vaults_address_form,
  add constraint vaults_address_form
    check (address ~ '^0x[0-9a-f]+$' and length(address) = 42) not valid;
alter table countersign.vaults
  validate constraint vaults_address_form;
alter table countersign.vaults
  drop constraint if exists vaults_address_check;

alter table countersign.vaults
  drop constraint if exists vaults_token_address_form,
  add constraint vaults_token_address_form
    check (token_address ~ '^0x[0-9a-f]+$' and length(token_address) = 42) not valid;
alter table countersign.vaults
  validate constraint vaults_token_address_form;
alter table countersign.vaults
  drop constraint if exists vaults_token_address_check;

alter table countersign.vaults
  drop constraint if exists vaults_owner_address_form,
  add constraint vaults_owner_address_form
    check (owner_address ~ '^0x[0-9a-f]+$' and length(owner_address) = 42) not valid;
alter table countersign.vaults
  validate constraint vaults_owner_address_form;
alter table countersign.vaults
  drop constraint if exists vaults_owner_address_check;

alter table countersign.executor_bindings
  drop constraint if exists executor_bindings_address_form,
  add constraint executor_bindings_address_form
    check (address ~ '^0x[0-9a-f]+$' and length(address) = 42) not valid;
alter table countersign.executor_bindings
  validate constraint executor_bindings_address_form;
alter table countersign.executor_bindings
  drop constraint if exists executor_bindings_address_check;
