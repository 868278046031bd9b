export function PaymentPage() {
  return null
}
