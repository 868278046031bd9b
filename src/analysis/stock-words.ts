/** Words that fit any expense, in plain form: a purpose of these alone describes nothing. */
const lists = [
  'a an and the for of to in on my our your this that it is as by with from me us please',
  'payment payments pay paid invoice invoices bill bills expense expenses cost costs fee fees',
  'money reimbursement reimburse refund transfer funds amount purchase purchases order work',
  'service services misc miscellaneous various other others stuff things thing something general',
  'test testing tests tbd todo na none nothing urgent asap important monthly weekly usual regular',
  'discussed agreed usdc usd crypto wallet company office need needed required request requested',
  'rechnung rechnungen zahlung zahlungen kosten ausgaben spesen erstattung geld diverses sonstiges',
  'thanks und fur die der das bitte danke wie besprochen uberweisung dringend',
  'facture factures paiement frais depense depenses remboursement divers argent merci pour le la',
  'les factura facturas pago pagos gasto gastos reembolso dinero varios urgente por para el los',
  'fatura pagamento pagamentos despesa despesas fattura spese rimborso soldi varie per di il',
  'betaling factuur kosten onkosten diversen voor de het platnosc faktura koszty za',
  'оплата платеж счет расходы деньги возмещение за и прочее срочно',
  '付款 报销 费用 支付 发票 支払い 経費 請求書 지급 비용',
]

export const stockWords: ReadonlySet<string> = new Set(lists.flatMap((list) => list.split(' ')))
